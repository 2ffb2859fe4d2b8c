import { createDataset } from './create-dataset.ts';
import { pushPrompt } from './push-prompt.ts';
import { runExperiment } from './run-experiment.ts';
import { updateExamples } from './update-examples.ts';

export const documentationTools = [pushPrompt, createDataset, updateExamples, runExperiment];
