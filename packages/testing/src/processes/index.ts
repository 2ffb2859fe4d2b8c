/** Nothing here needs a test runner: `bench` uses it, too. */
export { commandOptions, endForUse } from './command-options.ts';
export { type DataHome, dataHome } from './data-home.ts';
export { freePort } from './free-port.ts';
export { kept } from './kept.ts';
export { loopInProcess, loopInRounds } from './looping-threads.ts';
export { processesOf } from './processes-of.ts';
export { HUNG_MS, type Python, pythonWith } from './python-packages.ts';
export { type PythonTools, pythonTools, type VenvOptions, venvWith } from './python-venv.ts';
