import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { eventually, useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';
import { PlayedListener } from './support/played-listener.ts';

const { signedIn } = useConsole();
const listener = useFixture(() => PlayedListener.open());

const named = (what: string) => `${what}-${randomUUID().slice(0, 6)}`;

interface Revision {
  readonly id: string;
  readonly number: number;
  readonly status: string;
  readonly rollback_of: string | null;
  readonly image_uri: string | null;
  readonly secret_names: readonly string[];
  readonly resource_spec: Readonly<Record<string, unknown>> | null;
}
interface Deployment {
  readonly id: string;
  readonly display_name: string | null;
  readonly source: string;
  readonly source_config: Readonly<Record<string, unknown>>;
  readonly source_revision_config: Readonly<Record<string, unknown>>;
  readonly secrets: readonly { readonly name: string }[];
}

const readDeployment = (id: string) => api<Deployment>(`/v2/deployments/${id}`);
const listRevisions = async (id: string): Promise<readonly Revision[]> =>
  (await api<{ resources: readonly Revision[] }>(`/v2/deployments/${id}/revisions`)).resources;
const findByName = async (name: string): Promise<Deployment | undefined> =>
  (await api<{ resources: readonly Deployment[] }>(`/v2/deployments?name=${name}`)).resources[0];

const SERVES = { phase: 'switch', outcome: 'done' } as const;

/** A deployment whose first revision serves. */
async function serving(
  what: string,
  secrets: readonly { readonly name: string; readonly value: string }[] = [],
) {
  const name = named(what);
  const id = await listener().deploy(name, secrets);
  await listener().report(id, { phase: 'start', outcome: 'running' });
  const revision = await listener().report(id, SERVES);
  return { id, name, revision };
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click();
const inDialog = (page: Page) => page.getByRole('dialog');

test('when deployments are searched, then those that fit are listed, and Enter opens one', async () => {
  const [{ name }, other] = [await serving('listed'), await serving('other')];
  const page = await signedIn(`/console/deployments?q=${name}`);
  await page.getByRole('link', { name }).waitFor();
  await page.getByRole('link', { name: 'Revision 1' }).waitFor();
  expect(await page.getByRole('link', { name: other.name }).count()).toBe(0);
  await page.getByLabel('Search by name or id').fill('');
  await page.getByRole('link', { name: other.name }).waitFor();
  await lookAt(page, 'deployments');
  await page.getByLabel('Search by name or id').fill(`${name} nothing`);
  await page.getByRole('heading', { name: 'No deployment fits' }).waitFor();
  await page.getByLabel('Search by name or id').fill(name);
  await page.getByRole('grid', { name: 'Deployments' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name }).waitFor();
});

test('when a revision is on its way, then its phases grow, and an interruption ends it', async () => {
  const { id, name } = await serving('live');
  const page = await signedIn(`/console/deployments/${id}`);
  await page.getByRole('listitem', { name: 'Revision 1' }).getByText('serves').waitFor();
  await press(page, 'Deploy again');
  await inDialog(page).getByLabel('Image').fill(`registry.example.com/${name}:2`);
  await inDialog(page).getByRole('button', { name: 'Deploy', exact: true }).click();
  await listener().wantsRevision(id, 2);
  await listener().report(id, { phase: 'start', outcome: 'running' });
  const phases = page.getByRole('list', { name: 'Phases of revision 2' });
  await phases.getByText('running').waitFor();
  const growing = phases.getByRole('listitem').filter({ hasText: 'start' });
  const before = await growing.textContent();
  await eventually(async () => expect(await growing.textContent()).not.toBe(before));
  await press(page, 'Interrupt revision 2');
  await inDialog(page).getByRole('button', { name: 'Interrupt', exact: true }).click();
  await page
    .getByRole('listitem', { name: 'Revision 2' })
    .getByText('interrupted', { exact: true })
    .waitFor();
  const [latest] = await listRevisions(id);
  expect(latest).toMatchObject({
    number: 2,
    status: 'INTERRUPTED',
    image_uri: `registry.example.com/${name}:2`,
  });
});

test('when a revision fails, then its reason is told, and one rolls back to what served', async () => {
  const { id } = await serving('failing');
  const first = (await listRevisions(id))[0];
  await api(`/v2/deployments/${id}/revisions`, { method: 'POST', body: {} });
  await listener().wantsRevision(id, 2);
  await listener().report(id, SERVES);
  await api(`/v2/deployments/${id}/revisions`, { method: 'POST', body: {} });
  await listener().wantsRevision(id, 3);
  const reason = {
    code: 'exited',
    message: 'The container ended with code 1.',
    hint: 'Look at the end of its log.',
    log_tail: ['starting', '\u001B[31mError: cannot find module\u001B[0m <b>x</b>'],
  };
  await listener().report(id, { phase: 'health', outcome: 'failed', reason });
  const page = await signedIn(`/console/deployments/${id}`);
  const failed = page.getByRole('listitem', { name: 'Revision 3' });
  await failed.getByText('The container ended with code 1.').waitFor();
  await failed.getByText('Error: cannot find module <b>x</b>').waitFor();
  await lookAt(page, 'deployment');
  await press(page, 'Roll back to revision 1');
  await inDialog(page).getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('listitem', { name: 'Revision 4' }).getByText('like revision 1').waitFor();
  expect((await listRevisions(id))[0]).toMatchObject({ number: 4, rollback_of: first?.id });
});

test('when two revisions are compared, then what differs is marked', async () => {
  const { id, name } = await serving('compared', [
    { name: 'KEPT', value: 'a' },
    { name: 'OLD', value: 'b' },
  ]);
  await api(`/v2/deployments/${id}/revisions`, {
    method: 'POST',
    body: {
      source_revision_config: { image_uri: `registry.example.com/${name}:2` },
      secrets: [
        { name: 'KEPT', value: '********' },
        { name: 'NEW', value: 'c' },
      ],
    },
  });
  const [second, first] = await listRevisions(id);
  const page = await signedIn(`/console/deployments/${id}/revisions/${second?.id}`);
  await page.getByText('KEPT, NEW').waitFor();
  await page.getByLabel('Compare with').selectOption({ label: 'Revision 1 (serves)' });
  await page.getByRole('rowheader', { name: 'Image (differs)' }).waitFor();
  await page.getByText('+ NEW').waitFor();
  await page.getByText('− OLD').waitFor();
  expect(page.url()).toContain(`against=${first?.id}`);
  await lookAt(page, 'revision');
});

test('when a log grows, then it is followed, coloured, sifted by level and searched', async () => {
  const { id, revision } = await serving('logged');
  const server = { deployment_id: id, revision_id: revision, kind: 'server' } as const;
  await listener().write(server, [
    { level: 'INFO', message: '\u001B[32mready\u001B[0m in 3 ms' },
    { level: 'ERROR', message: 'it broke <img src=x onerror=alert(1)>' },
    { level: 'INFO', message: `${'long '.repeat(1000)}and here is its end` },
  ]);
  await listener().write({ ...server, kind: 'build' }, [{ level: 'INFO', message: 'layer fetched' }]);
  const page = await signedIn(`/console/deployments/${id}/logs`);
  const log = page.getByRole('region', { name: 'Log lines' });
  await log.getByText('it broke <img src=x onerror=alert(1)>').waitFor();
  expect(await log.locator('.text-good').textContent()).toBe('ready');
  await log.getByRole('button', { name: 'All of the line' }).click();
  await inDialog(page).getByText('and here is its end').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('live', { exact: true }).waitFor();
  await listener().write(server, [{ level: 'WARNING', message: 'came later' }]);
  await log.getByText('came later').waitFor();
  await lookAt(page, 'logs');
  await page.getByLabel('Lowest level').selectOption('ERROR');
  await eventually(async () => expect(await log.getByText('ready').count()).toBe(0));
  await page.getByLabel('Lowest level').selectOption('');
  await page.getByLabel('Search the log').fill('LATER');
  await eventually(async () => expect(await log.locator('mark').allTextContents()).toEqual(['later']));
  await page.getByLabel('Search the log').fill('');
  await page.getByLabel('Log', { exact: true }).selectOption('build');
  await log.getByText('layer fetched').waitFor();
  expect(new URL(page.url()).searchParams.get('type')).toBe('build');
});

test('when a log has 100,000 lines, then all are loaded, and few are in the page', async () => {
  const { id, revision } = await serving('long');
  const server = { deployment_id: id, revision_id: revision, kind: 'server' } as const;
  for (let chunk = 0; chunk < 20; chunk += 1) {
    const lines = Array.from({ length: 5000 }, (_one, index) => ({
      level: 'INFO',
      message: `line ${chunk * 5000 + index} of many`,
    }));
    await listener().write(server, lines);
  }
  const page = await signedIn(`/console/deployments/${id}/logs`);
  const log = page.getByRole('region', { name: 'Log lines' });
  await log.getByText('line 99999 of many').waitFor();
  await page.getByRole('button', { name: 'Load all' }).click();
  await page.getByText(/^(the last )?100K lines/).waitFor({ timeout: 60_000 });
  await log.evaluate((element) => element.scrollTo({ top: 0 }));
  await log.getByText('line 0 of many').waitFor();
  expect(await log.locator('time').count()).toBeLessThan(200);
  await page.getByRole('button', { name: 'To the end' }).click();
  await log.getByText('line 99999 of many').waitFor();
}, 120_000);

test('when variables are replaced, removed and added, then a revision has the new names', async () => {
  const { id } = await serving('variables', [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ]);
  const page = await signedIn(`/console/deployments/${id}/environment`);
  await press(page, 'Replace A');
  await press(page, 'Save and deploy');
  await page.getByRole('alert').getByText('Enter the new value of A').waitFor();
  await page.getByLabel('New value of A').fill('another');
  await press(page, 'Remove B');
  await press(page, 'Add a variable');
  await page.getByLabel('Name of the variable').fill('9C');
  await press(page, 'Save and deploy');
  await page.getByRole('alert').getByText('9C is no name of a variable').waitFor();
  await page.getByLabel('Name of the variable').fill('C');
  await page.getByLabel('Value of C').fill('3');
  await lookAt(page, 'environment');
  await press(page, 'Save and deploy');
  await page.getByRole('listitem', { name: 'Revision 2' }).waitFor();
  expect((await listRevisions(id))[0]?.secret_names).toEqual(['A', 'C']);
  await page.goto(`${platform.url}/console/deployments/${id}/environment`);
  await press(page, 'Remove A');
  await press(page, 'Remove C');
  await press(page, 'Save and deploy');
  await page.getByRole('listitem', { name: 'Revision 4' }).waitFor();
  expect((await readDeployment(id)).secrets).toEqual([]);
});

test('when settings and resources are changed, then the API tells them', async () => {
  const { id } = await serving('settings');
  const page = await signedIn(`/console/deployments/${id}/settings`);
  await page.getByLabel('Custom address').fill('not an address');
  await press(page, /^Save/);
  await page.getByText('Invalid URL').waitFor();
  await page.getByLabel('Custom address').fill('');
  await page.getByLabel('Display name').fill('An agent for all');
  await press(page, /^Save/);
  await page.getByRole('heading', { level: 1, name: 'An agent for all' }).waitFor();
  expect((await readDeployment(id)).display_name).toBe('An agent for all');
  await lookAt(page, 'deployment-settings');
  await page.getByRole('navigation', { name: 'Deployment' }).getByRole('link', { name: 'Resources' }).click();
  await page.getByLabel('CPU at most').fill('2');
  await page.getByLabel('CPU', { exact: true }).fill('many');
  await press(page, 'Save and deploy');
  await page.getByText(/expected number/i).waitFor();
  await page.getByLabel('CPU', { exact: true }).fill('1.5');
  await press(page, 'Save and deploy');
  await page.getByText('A revision with the new resources is on its way.').waitFor();
  expect((await listRevisions(id))[0]?.resource_spec).toMatchObject({ cpu: 1.5, cpu_limit: 2 });
  await lookAt(page, 'resources');
});

test('when a deployment is deleted, then it rests in the bin, is restored, and erased for good', async () => {
  const { id, name } = await serving('deleted');
  const page = await signedIn(`/console/deployments/${id}`);
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await inDialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL(/\/console\/deployments$/);
  await listener().letGo(id);
  await page.getByLabel('State').selectOption('bin');
  await eventually(async () => {
    await page.reload();
    await page.getByRole('button', { name: `Restore ${name}` }).click({ timeout: 2000 });
  });
  await page.getByText(`${name} is restored.`).waitFor();
  expect((await readDeployment(id)).id).toBe(id);
  await listener().report(id, SERVES);
  await api(`/v2/deployments/${id}`, { method: 'DELETE' });
  await listener().letGo(id);
  await eventually(async () => {
    await page.reload();
    await page.getByRole('button', { name: `Erase ${name}` }).click({ timeout: 2000 });
  });
  await inDialog(page).getByRole('button', { name: 'Erase', exact: true }).click();
  await page.getByText(`${name} is erased.`).waitFor();
});

/** Takes what a story made away again, before it is built. */
async function takeAway(name: string): Promise<void> {
  const found = await findByName(name);
  if (found !== undefined) await api(`/v2/deployments/${found.id}?force=true`, { method: 'DELETE' });
}

test('when a template is chosen, then a name is proposed, a taken one refused', async () => {
  const name = named('from-template');
  const page = await signedIn('/console/deployments/new');
  await page.getByRole('radio', { name: 'Python starter' }).check();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('python-starter');
  await page.getByLabel('Name', { exact: true }).fill('support-agent');
  await lookAt(page, 'new-deployment');
  await page.getByLabel('Value of GREETING').fill('Ahoy');
  await press(page, 'Deploy');
  await page
    .getByText(/support-agent.*(taken|exists|already)|already.*support-agent|name.*(taken|used|exists)/i)
    .waitFor();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await press(page, 'Deploy');
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const made = await findByName(name);
  await takeAway(name);
  expect(made).toMatchObject({ source: 'internal_template', secrets: [{ name: 'GREETING' }] });
});

test('when a folder is chosen, then it is packed, uploaded and deployed', async () => {
  const name = named('from-folder');
  const page = await signedIn('/console/deployments/new?from=upload');
  const folder = fileURLToPath(new URL('../agents/broken', import.meta.url));
  await page.getByLabel('Choose a folder').setInputFiles(folder);
  await page.getByText(/broken: 3 files/).waitFor();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.route('**/v2/uploads/**', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await press(page, 'Deploy');
  await page.getByText(/The upload was answered 503/).waitFor();
  await press(page, 'Add a variable');
  await page.getByLabel('Name of the variable').fill('EMPTY');
  await press(page, 'Deploy');
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const made = await findByName(name);
  await takeAway(name);
  expect(made).toMatchObject({ source: 'internal_source', secrets: [{ name: 'EMPTY' }] });
  expect(made?.source_revision_config['source_tarball_path']).toMatch(/\.tar\.gz$/);
});

test('when an archive, a repository or an image is none, then it is said where it is chosen', async () => {
  const page = await signedIn('/console/deployments/new?from=upload');
  await page
    .getByLabel('Choose an archive')
    .setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') });
  await page.getByText('a.zip is no .tar.gz').waitFor();
  await page.getByRole('navigation', { name: 'Source' }).getByRole('link', { name: /Git/ }).click();
  await page.getByLabel('Repository').fill('ftp://example.com/acme/agent');
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('agent');
  await press(page, 'Deploy');
  await page.getByLabel('Repository').and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByRole('navigation', { name: 'Source' }).getByRole('link', { name: /Image/ }).click();
  await page.getByLabel('Image').fill('https://not-an-image');
  await press(page, 'Deploy');
  await page.getByText(/must name a container image/).waitFor();
  expect(await findByName('not-an-image')).toBeUndefined();
});
