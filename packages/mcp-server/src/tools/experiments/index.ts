import { listExperiments } from './list-experiments.ts';

export const experimentTools = [listExperiments];
