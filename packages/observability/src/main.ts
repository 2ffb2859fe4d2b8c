import { runService } from '@roadstead/service';
import { observabilityProgram } from './observability-program.ts';

process.exitCode = await runService(observabilityProgram);
