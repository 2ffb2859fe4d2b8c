import { runService } from '@roadstead/service';
import { controlPlaneProgram } from './control-plane-program.ts';

process.exitCode = await runService(controlPlaneProgram);
