"""Tries from within a build what an agent tries later; what it prints becomes a part of the artifact."""

import subprocess

from setuptools import setup

with open("../built.txt", "w") as file:
    subprocess.run(["/bin/sh", "./build.sh"], cwd="..", stdout=file, stderr=subprocess.STDOUT)
setup(name="trap", version="1.0.0", py_modules=[])
