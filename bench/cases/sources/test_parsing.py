import io
import unittest
from datetime import date, timedelta


def parse_duration(text):
    units = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    total = 0
    number = ""
    for character in text.strip():
        if character.isdigit():
            number += character
        elif character in units and number:
            total += int(number) * units[character]
            number = ""
        else:
            raise ValueError(f"invalid duration: {text!r}")
    if number:
        raise ValueError(f"missing unit in {text!r}")
    return timedelta(seconds=total)


def parse_table(file, delimiter=","):
    header = None
    rows = []
    for line in file:
        line = line.strip()
        if not line:
            continue
        fields = [field.strip() for field in line.split(delimiter)]
        if header is None:
            header = fields
        elif len(fields) != len(header):
            raise ValueError(f"expected {len(header)} fields, got {len(fields)}")
        else:
            rows.append(dict(zip(header, fields)))
    return rows


def parse_date(text):
    year, month, day = text.split("-")
    return date(int(year), int(month), int(day))


class ParseDurationTest(unittest.TestCase):
    def test_single_unit(self):
        self.assertEqual(parse_duration("5m"), timedelta(minutes=5))
        self.assertEqual(parse_duration("2h"), timedelta(hours=2))

    def test_several_units(self):
        self.assertEqual(parse_duration("1d12h"), timedelta(days=1, hours=12))

    def test_spaces_around_are_ignored(self):
        self.assertEqual(parse_duration("  90s "), timedelta(seconds=90))

    def test_missing_unit(self):
        with self.assertRaises(ValueError):
            parse_duration("15")

    def test_unknown_unit(self):
        with self.assertRaises(ValueError):
            parse_duration("3w")


class ParseTableTest(unittest.TestCase):
    def setUp(self):
        self.file = io.StringIO("name, age\nAda, 36\n\nAlan, 41\n")

    def test_rows(self):
        rows = parse_table(self.file)
        self.assertEqual(len(rows), 2)
        self.assertEqual(rows[0], {"name": "Ada", "age": "36"})

    def test_wrong_number_of_fields(self):
        with self.assertRaises(ValueError) as context:
            parse_table(io.StringIO("a,b\n1,2,3\n"))
        self.assertIn("expected 2 fields", str(context.exception))

    def test_date(self):
        self.assertEqual(parse_date("2021-03-14"), date(2021, 3, 14))


if __name__ == "__main__":
    unittest.main()
