from __future__ import annotations

from pathlib import Path

import pytest

from training.gguf.reader import GgufFile, read
from training.paths import shipped_model


def pytest_configure(config: pytest.Config) -> None:
    config.option.reportchars += "s"  # nothing is skipped without saying so
    config.addinivalue_line(
        "markers",
        "engine: packs a model and runs it by the built engine (`npm run build`) and by llama.cpp; half a minute",
    )


@pytest.fixture(scope="session")
def base_path() -> Path:
    return shipped_model()


@pytest.fixture(scope="session")
def base(base_path: Path) -> GgufFile:
    return read(base_path)
