import { fileURLToPath } from 'node:url';
import type { Scenario } from '../calls/call.ts';

/** The folders of the projects that both servers have. */
export const projects: Readonly<Record<Scenario['project'], string>> = {
  open: fileURLToPath(new URL('./open', import.meta.url)),
  guarded: fileURLToPath(new URL('./guarded', import.meta.url)),
};
