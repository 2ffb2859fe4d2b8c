import { existsSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { type Browser, chromium as launcher, type LaunchOptions } from 'playwright-core';

/** A real browser: the one that npm brings for Linux, else one that the machine has. */

export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Undefined where no browser starts; why is then on standard error, in plain sight. */
export async function openBrowser(): Promise<OpenBrowser | undefined> {
  const failures: string[] = [];
  for (const find of [bundled, installed]) {
    try {
      const browser = await launch(find);
      return { browser, [Symbol.asyncDispose]: () => browser.close() };
    } catch (error) {
      failures.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    }
  }
  process.stderr.write(
    `\nNO BROWSER STARTS HERE: what is tested in one is skipped. Install Chromium to test it.\n${failures.map((why) => `  ${why}\n`).join('')}\n`,
  );
  return undefined;
}

type Find = () => Promise<LaunchOptions>;

/** Unpacking takes some seconds, and meanwhile another process can't start what is written. */
const UNPACKED_MS = 60_000;

async function launch(find: Find): Promise<Browser> {
  for (const until = Date.now() + UNPACKED_MS; ; await after(200)) {
    try {
      return await launcher.launch({ ...(await find()), headless: true });
    } catch (error) {
      if (!String(error).includes('ETXTBSY') || Date.now() > until) throw error;
    }
  }
}

async function bundled() {
  if (process.platform !== 'linux') throw new Error('The bundled browser is for Linux.');
  const { default: chromium } = await import('@sparticuz/chromium');
  // Without a GPU it draws by itself: an emulated one falls seconds behind a page that scrolls, and whatever follows waits.
  chromium.setGraphicsMode = false;
  return { executablePath: await chromium.executablePath(), args: [...chromium.args, '--disable-gpu'] };
}

async function installed() {
  const executablePath = INSTALLED.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error('The machine has no Chrome or Chromium in its usual places.');
  // As root there is no sandbox.
  return { executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
}
