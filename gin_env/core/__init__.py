"""The rules of Gin Rummy as compiled kernels on numpy records; imports numpy and numba only."""
