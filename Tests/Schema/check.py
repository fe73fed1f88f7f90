#!/usr/bin/env python3
"""Validates JSON documents, one a line on standard input, against a JSON Schema (draft 2020-12).

usage: check.py SCHEMA.json

Prints a line for each document that breaks the schema, and "N documents" at the end.
"""

import json
import sys

import jsonschema


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    count = 0
    for line in sys.stdin:
        count += 1
        for error in validator.iter_errors(json.loads(line)):
            print(f"document {count}: {'.'.join(map(str, error.absolute_path))}: {error.message}")
    print(f"{count} documents")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
