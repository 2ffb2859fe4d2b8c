import { compareExperiments } from './compare-experiments.ts';
import { listExperiments } from './list-experiments.ts';

export const experimentTools = [listExperiments, compareExperiments];
