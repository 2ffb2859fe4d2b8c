import { beforeEach } from 'vitest';
import { testPython } from './python.ts';

/** Skips each test of a file where no Python can be had, as the setup has said. */
beforeEach(({ skip }) => skip(testPython === undefined));
