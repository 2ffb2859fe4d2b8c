import { test } from 'vitest';

test('passes', () => undefined);
test('passes, too', () => undefined);
