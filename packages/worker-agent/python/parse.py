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


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def function(name, node, arguments, decorated):
    parameters = list(parameters_of(arguments))
    return {"name": name, "line": node.lineno, "parameters": parameters, "decorated": decorated}


def functions_in(body):
    """Functions that the module defines, lambdas with a name too, also inside `if`, `try` and `with`."""
    for statement in body:
        if isinstance(statement, DEFINITIONS):
            yield function(statement.name, statement, statement.args, bool(statement.decorator_list))
        elif is_named_lambda(statement):
            yield function(statement.targets[0].id, statement, statement.value.args, False)
        for part in ("body", "orelse", "finalbody", "handlers"):
            if isinstance(statement, (ast.If, ast.Try, ast.With, ast.ExceptHandler)):
                yield from functions_in(getattr(statement, part, []))


def is_named_lambda(statement):
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Lambda):
        return False
    return len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)


def names_in(body):
    """Names that the module may have without defining a function; `*` for names nobody can tell."""
    for statement in body:
        if isinstance(statement, DEFINITIONS) or is_named_lambda(statement):
            continue
        if isinstance(statement, ast.ClassDef):
            yield statement.name
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, ast.alias):
                yield node.asname or node.name.split(".")[0]


def main():
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    source = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    try:
        # compile() finds what the grammar allows and the language does not, such as `return` outside a function.
        tree = compile(source, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        compile(tree, "<source>", "exec", dont_inherit=True)
        names = sorted(set(names_in(tree.body)))
        found = {"functions": list(functions_in(tree.body)), "names": names, "error": None}
    except SyntaxError as error:
        found = {"functions": [], "names": [], "error": {"message": error.msg, "line": error.lineno}}
    except (ValueError, MemoryError, RecursionError) as error:
        text = str(error) or "the source is nested too deeply"
        found = {"functions": [], "names": [], "error": {"message": text, "line": None}}
    print(json.dumps(found))


main()
