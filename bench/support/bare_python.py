"""
Runs the graph of the bench with nothing around it: `bare_python.py MODULE_FOLDERS RUNS`, in the folder of the
agent. Tells how many runs a second there are one after the other, the CPU of one, and the median of runs with
pauses of 4 ms, as a lone caller leaves them.
"""

import asyncio
import json
import site
import sys
from time import perf_counter, process_time

for folder in json.loads(sys.argv[1]):
    site.addsitedir(folder)
sys.path.insert(0, ".")

from graph import graph  # noqa: E402

RUNS = int(sys.argv[2])


async def run() -> None:
    await graph.ainvoke({"messages": [{"role": "user", "content": "hello"}]})


async def main() -> None:
    for _ in range(300):
        await run()
    began, cpu = perf_counter(), process_time()
    for _ in range(RUNS):
        await run()
    took_s, cpu_s = perf_counter() - began, process_time() - cpu
    times = []
    for _ in range(200):
        begun = perf_counter()
        await run()
        times.append(perf_counter() - begun)
        await asyncio.sleep(0.004)
    told = {
        "per_s": RUNS / took_s,
        "cpu_ms": cpu_s / RUNS * 1000,
        "p50_ms": sorted(times)[len(times) // 2] * 1000,
    }
    print(json.dumps(told))


asyncio.run(main())
