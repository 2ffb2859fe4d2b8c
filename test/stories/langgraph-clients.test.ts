import { useGate } from './gate.ts';
import { clientsSuite } from './clients-suite.ts';

/** The proof has an agent in Python, and programs in Python. */
clientsSuite('javascript', useGate(['javascript']));
