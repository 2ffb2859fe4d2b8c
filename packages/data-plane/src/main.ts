import { runDataPlane } from './run-data-plane.ts';

process.exitCode = await runDataPlane(process.argv.slice(2));
