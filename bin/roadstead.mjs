#!/usr/bin/env node
// The `roadstead` command of a checkout, from any folder and with any Node ≥ 20: installs what is missing, then runs the
// TypeScript as it is.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { launch } from './launch.mjs';

const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
install();
await launch(join(root, 'packages', 'cli', 'src', 'main.ts'), join(root, 'package.json'));
