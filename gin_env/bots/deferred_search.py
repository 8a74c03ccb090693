"""A search that kernels can call, and that is compiled only when somebody needs it.

`gin_env.bots.choose` knows every bot, and with it whatever plays against some bot. Compiling a
search takes longer than all the rest, so `choose` reaches it through an address that is filled in
when somebody first asks for a bot that searches.
"""

import ctypes
import os
import sys
import traceback
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic, overload

from gin_env.bots.bot_row import BOT_DTYPE, MEMORY_DTYPE
from gin_env.bots.clock import declare
from gin_env.core.jit import IS_COMPILED
from gin_env.core.rules import RULES_DTYPE
from gin_env.core.view import VIEW_DTYPE

_SEARCH = "gin_env_search"
_ARGUMENT_DTYPES = (BOT_DTYPE, RULES_DTYPE, VIEW_DTYPE, MEMORY_DTYPE)


def search(b: np.void, r: np.void, v: np.void, m: np.void) -> int:
    """The action of a bot that searches; see `gin_env.bots.expert.act_expert`."""
    return _find_search()(b, r, v, m)


@cache
def link_search() -> None:
    """Compile the search, and let kernels know where it is. Harmless where it has been done."""
    if not IS_COMPILED:
        return
    function = _find_search()
    signature = types.int64(*map(from_dtype, _ARGUMENT_DTYPES))
    compiled = function.get_compile_result(signature)  # type: ignore[attr-defined]
    name = compiled.fndesc.llvm_cfunc_wrapper_name
    _search_address.value = compiled.library.get_pointer_to_function(name)


def _find_search() -> Callable[[np.void, np.void, np.void, np.void], int]:
    from gin_env.bots.expert import act_expert  # noqa: PLC0415  (who never searches spares it)

    return act_expert


def _search_first(*pointers: int) -> int:
    """Stand in for the search until it is linked: in a process that got its bots from another.

    The kernel that calls cannot hear of an error, and would play whatever it got in place of an
    action: so an interrupt must be repeated later, and without a search there is no going on.
    """
    try:
        link_search()
    except KeyboardInterrupt:
        print("gin_env: not interrupted in mid-compilation; try again soon", file=sys.stderr)
        return _search_first(*pointers)
    except BaseException:  # out of memory, perhaps
        traceback.print_exc()
        os.abort()
    return int(_Search(_search_address.value or 0)(*pointers))


_Search = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(_ARGUMENT_DTYPES))
_search_stand_in = _Search(_search_first)
_search_address = ctypes.c_void_p(ctypes.cast(_search_stand_in, ctypes.c_void_p).value)
llvm.add_symbol(_SEARCH, ctypes.addressof(_search_address))

_I64 = ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()


@intrinsic
def _call_search(typingctx: Any, b: Any, r: Any, v: Any, m: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function_type = ir.FunctionType(_I64, [_POINTER] * len(args))
        place = declare(builder.module, _SEARCH, function_type.as_pointer())
        pointers = [builder.bitcast(arg, _POINTER) for arg in args]
        return builder.call(builder.load(place), pointers)

    return types.int64(b, r, v, m), codegen


@overload(search)
def _search_compiled(b, r, v, m):  # type: ignore[no-untyped-def]  # numba compares the bare signatures
    return lambda b, r, v, m: _call_search(b, r, v, m)
