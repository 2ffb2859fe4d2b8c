import { runService } from '@roadstead/service';
import { mcpServerProgram } from './mcp-server-program.ts';

process.exitCode = await runService(mcpServerProgram);
