"""The notebooks run from a clean kernel, and are stored without what they printed."""

import json
import os
import re
import tempfile
import unittest

from common import SOURCE

try:
    import nbformat
    from nbclient import NotebookClient
    import ipykernel  # noqa: F401
except ImportError:
    NotebookClient = None

FOLDER = SOURCE / "tools" / "python" / "notebooks"


class Notebooks(unittest.TestCase):
    def test_there_are_three_without_outputs(self) -> None:
        notebooks = sorted(FOLDER.glob("*.ipynb"))
        self.assertEqual(len(notebooks), 3)
        for path in notebooks:
            for cell in json.loads(path.read_text())["cells"]:
                self.assertFalse(cell.get("outputs"), path.name)
                self.assertIsNone(cell.get("execution_count"), path.name)

    def test_every_number_of_the_prose_stands_in_the_code(self) -> None:
        """What the code says is what it sets or asserts, and the next test runs it."""
        for path in sorted(FOLDER.glob("*.ipynb")):
            cells = json.loads(path.read_text())["cells"]
            code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
            known = {n.rstrip("0").rstrip(".") for n in re.findall(r"\d+(?:\.\d+)?", code.replace("_", ""))}
            prose = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
            said = re.findall(r"\d+(?:\.\d+)?", prose.replace(",", ""))
            self.assertGreater(len(said), 5, path.name)
            self.assertIn("assert ", code)
            unknown = [n for n in said if n.rstrip("0").rstrip(".") not in known]
            self.assertEqual(unknown, [], path.name)

    def test_they_run_and_their_numbers_hold(self) -> None:
        if NotebookClient is None:
            if os.environ.get("WEFT_NO_SKIPS"):
                self.fail("nbclient or ipykernel is not installed")
            self.skipTest("nbclient or ipykernel is not installed")
        for path in sorted(FOLDER.glob("*.ipynb")):
            with self.subTest(path.name), tempfile.TemporaryDirectory() as folder:
                notebook = nbformat.read(path, as_version=4)
                NotebookClient(
                    notebook,
                    timeout=600,
                    kernel_name="python3",
                    resources={"metadata": {"path": folder}},
                ).execute()
                self.assertEqual(os.listdir(folder), [])
                shown = [o for c in notebook.cells for o in c.get("outputs", [])]
                pages = [o["data"]["text/html"] for o in shown if "text/html" in o.get("data", {})]
                self.assertTrue(pages)
                if path.name == "where_a_step_goes.ipynb":
                    self.assertTrue(any("<svg" in page and "Blame" in page for page in pages))


if __name__ == "__main__":
    unittest.main()
