"""Keeps the lines of a CSV file that are a time and a number."""

from datetime import datetime


def run(raw):
    kept, dropped = [], 0
    for line in load_artifact(raw).decode().splitlines():
        try:
            at, value = line.split(",")
            kept.append(f"{datetime.fromisoformat(at.strip()).isoformat()},{float(value)}")
        except ValueError:
            dropped += 1
    print(f"{len(kept)} readings, {dropped} lines dropped")
    rows = save_artifact("\n".join(kept).encode(), name="rows.csv", media_type="text/csv")
    return {"rows": rows, "dropped": dropped}
