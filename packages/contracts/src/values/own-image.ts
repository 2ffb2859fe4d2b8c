import { ROADSTEAD_VERSION } from './version.ts';

/** The container image of this version: `roadstead image build` makes it, and graph hosts run in it unless another one is named. */
export const OWN_IMAGE = `roadstead/roadstead:${ROADSTEAD_VERSION}`;
