export { type Fence, type FencedProgram } from './fence.ts';
export { type ProgramEnd, FencedProcess } from './fenced-process.ts';
export { openFence, type FenceOptions, type OpenedFence } from './open-fence.ts';
export { type Limits } from './limits/limits.ts';
export { showable, sortPaths } from './machine.ts';
export { isWithin, outermost } from './mount-rules.ts';
