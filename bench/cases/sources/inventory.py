"""Keeps count of what is in a small warehouse."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


class UnknownItem(KeyError):
    """Raised when an item was never added."""


@dataclass
class Item:
    name: str
    quantity: int = 0
    price: float = 0.0
    location: str = ""

    @property
    def value(self):
        return self.quantity * self.price

    def is_low(self, threshold):
        return self.quantity < threshold


class Inventory:
    def __init__(self, items=()):
        self._items = {}
        for item in items:
            self.add(item)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items.values())

    def __contains__(self, name):
        return name in self._items

    def add(self, item):
        if item.quantity < 0:
            raise ValueError(f"quantity of {item.name} must not be negative")
        existing = self._items.get(item.name)
        if existing is None:
            self._items[item.name] = item
        else:
            existing.quantity += item.quantity

    def remove(self, name, quantity):
        item = self.get(name)
        if item.quantity < quantity:
            raise ValueError(f"only {item.quantity} of {name} left")
        item.quantity -= quantity
        if item.quantity == 0:
            del self._items[name]
        return item

    def get(self, name):
        try:
            return self._items[name]
        except KeyError:
            raise UnknownItem(name) from None

    def total_value(self):
        return sum(item.value for item in self._items.values())

    def low_items(self, threshold=5):
        return [item for item in self if item.is_low(threshold)]

    def by_location(self):
        groups = {}
        for item in self:
            groups.setdefault(item.location, []).append(item)
        return groups

    def save(self, path):
        data = [asdict(item) for item in self]
        Path(path).write_text(json.dumps(data, indent=2), encoding="utf-8")

    @classmethod
    def load(cls, path):
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return cls(Item(**entry) for entry in data)
