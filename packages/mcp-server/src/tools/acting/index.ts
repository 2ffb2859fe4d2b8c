import { addDataset } from './add-dataset.ts';
import { commitPrompt } from './commit-prompt.ts';
import { editExamples } from './edit-examples.ts';
import { sendMessage } from './send-message.ts';
import { startExperiment } from './start-experiment.ts';

/** All of them change something, so they are off unless they are requested. */
export const actingTools = [sendMessage, commitPrompt, addDataset, editExamples, startExperiment];
