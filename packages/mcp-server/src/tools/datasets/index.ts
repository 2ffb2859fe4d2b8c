import { listDatasets } from './list-datasets.ts';
import { listExamples } from './list-examples.ts';
import { readDataset } from './read-dataset.ts';
import { readExample } from './read-example.ts';

export const datasetTools = [listDatasets, readDataset, listExamples, readExample];
