import { describe } from 'vitest';
import { documentationSuite } from './documentation-suite.ts';

describe('when the examples are in Python', () => {
  documentationSuite('python');
});
