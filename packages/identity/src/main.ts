import { runService } from '@roadstead/service';
import { identityProgram } from './identity-program.ts';

process.exitCode = await runService(identityProgram);
