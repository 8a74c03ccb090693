"""A clock for kernels."""

import ctypes
import time
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

_CLOCK = "gin_env_clock"
_Clock = ctypes.CFUNCTYPE(ctypes.c_int64)
_clock_function = _Clock(time.perf_counter_ns)
llvm.add_symbol(_CLOCK, ctypes.cast(_clock_function, ctypes.c_void_p).value)


def clock() -> int:
    """Nanoseconds of a clock that only goes forward. A kernel asks Python for it."""
    return time.perf_counter_ns()


def declare(module: Any, name: str, kind: Any) -> Any:
    """Declare a symbol from outside an LLVM module, once."""
    if name in module.globals:
        return module.globals[name]
    if isinstance(kind, ir.FunctionType):
        return ir.Function(module, kind, name)
    return ir.GlobalVariable(module, kind, name)


@intrinsic
def _call_clock(typingctx: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function_type = ir.FunctionType(ir.IntType(64), [])
        return builder.call(declare(builder.module, _CLOCK, function_type), [])

    return types.int64(), codegen


@overload(clock)
def _clock_compiled():  # type: ignore[no-untyped-def]  # numba compares the bare signatures
    return lambda: _call_clock()
