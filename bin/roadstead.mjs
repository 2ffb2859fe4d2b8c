#!/usr/bin/env -S node --max-semi-space-size=32 --
// The `roadstead` command of a checkout, from any folder and with any Node ≥ 20: installs what is missing, then runs the
// TypeScript as it is.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, isInstalled, isUpToDate } from './install.mjs';
import { launch } from './launch.mjs';

const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
// A running platform loads from the same folder: only what starts one brings the packages up to date.
await install(process.argv[2] === 'up' ? isUpToDate : isInstalled);
await launch(join(root, 'packages', 'cli', 'src', 'main.ts'), join(root, 'package.json'));
