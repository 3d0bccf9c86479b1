"""Reads Python source on stdin and tells its functions as JSON. The source is parsed and never executed."""

import ast
import json
import resource
import sys

MEMORY_BYTES = 1024 * 1024 * 1024


def parameters_of(arguments):
    positional = arguments.posonlyargs + arguments.args
    first_default = len(positional) - len(arguments.defaults)
    for index, argument in enumerate(positional):
        kind = "positional_only" if index < len(arguments.posonlyargs) else "keyword"
        yield {"name": argument.arg, "kind": kind, "default": index >= first_default}
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        yield {"name": argument.arg, "kind": "keyword", "default": default is not None}
    if arguments.kwarg is not None:
        yield {"name": arguments.kwarg.arg, "kind": "all", "default": True}


def functions_in(body):
    """Functions that the module defines, also inside `if`, `try` and `with`."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters = list(parameters_of(statement.args))
            yield {"name": statement.name, "line": statement.lineno, "parameters": parameters}
        for part in ("body", "orelse", "finalbody", "handlers"):
            if isinstance(statement, (ast.If, ast.Try, ast.With, ast.ExceptHandler)):
                yield from functions_in(getattr(statement, part, []))


def main():
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    source = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    try:
        # compile() finds what the grammar allows and the language does not, such as `return` outside a function.
        tree = compile(source, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        compile(tree, "<source>", "exec", dont_inherit=True)
        found = {"functions": list(functions_in(tree.body)), "error": None}
    except SyntaxError as error:
        found = {"functions": [], "error": {"message": error.msg, "line": error.lineno}}
    except (ValueError, MemoryError, RecursionError) as error:
        text = str(error) or "the source is nested too deeply"
        found = {"functions": [], "error": {"message": text, "line": None}}
    print(json.dumps(found))


main()
