def run(n):
    return {"thrice": 3 * n}
