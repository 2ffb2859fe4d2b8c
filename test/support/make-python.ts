import { setup } from './python-setup.ts';

/** Makes the Python of tests ahead of them. */
await setup();
