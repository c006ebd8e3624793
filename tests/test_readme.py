import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="installed without the README")
def test_code_blocks_run_one_after_the_other(capsys):
    """What the README shows works as it stands, and prints what it says."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) >= 4
    exec("\n".join(blocks), {})
    assert round(float(capsys.readouterr().out.split()[0]), 2) == 0.91
