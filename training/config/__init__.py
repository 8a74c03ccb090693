"""What a run trains: read from YAML and checked field by field."""
