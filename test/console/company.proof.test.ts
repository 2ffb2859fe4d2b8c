import { useFixture } from '@roadstead/testing';
import { COMPANY_CLIENT, type CompanyProvider, startCompanyProvider } from '@roadstead/testing/oauth';
import { expect, test } from 'vitest';
import { dataHome, freePort, type RunningPlatform, startPlatform } from '../support/platform.ts';
import { useConsole } from './support/console.ts';
import { watchRequests } from './support/quiet-page.ts';

/** People of a company sign in to the console in a real browser, at a real OpenID provider. */

const { blankPage } = useConsole();

interface Company extends AsyncDisposable {
  readonly provider: CompanyProvider;
  readonly platform: RunningPlatform;
}

const company = useFixture(async (): Promise<Company> => {
  await using opening = new AsyncDisposableStack();
  const provider = opening.use(await startCompanyProvider());
  const home = opening.use(await dataHome());
  const port = await freePort();
  const platform = opening.use(
    await startPlatform(home.path, {
      port,
      env: {
        ROADSTEAD_CONSOLE: 'true',
        ROADSTEAD_ALLOWED_HOSTS: '127.0.0.1',
        ROADSTEAD_COMPANY_ISSUER: provider.url,
        ROADSTEAD_COMPANY_CLIENT_ID: COMPANY_CLIENT.client_id,
        ROADSTEAD_COMPANY_CLIENT_SECRET: COMPANY_CLIENT.client_secret,
        ROADSTEAD_COMPANY_NAME: 'Acme',
        ROADSTEAD_COMPANY_ROLES: 'engineering=member,operations=admin',
        ROADSTEAD_COMPANY_DEFAULT_ROLE: 'viewer',
      },
    }),
  );
  provider.serve(platform.url);
  const opened = opening.move();
  return { provider, platform, [Symbol.asyncDispose]: () => opened.disposeAsync() };
});

interface User {
  readonly name: string;
  readonly role: string;
  readonly signs_in_at: string;
}

async function roleOf(name: string): Promise<Pick<User, 'role' | 'signs_in_at'> | undefined> {
  const { platform } = company();
  const answer = await platform.fetch(`${platform.url}/v2/users?name=${name}`);
  const { items } = (await answer.json()) as { items: User[] };
  return items.find((user) => user.name === name);
}

const roles = [
  { group: 'sales', role: 'viewer', sees: ['Deployments'], lacks: ['Talk', 'New deployment', 'API keys'] },
  { group: 'engineering', role: 'member', sees: ['Talk', 'New deployment'], lacks: ['API keys'] },
  { group: 'operations', role: 'admin', sees: ['Talk', 'New deployment', 'API keys'], lacks: [] },
] as const;

test.each(roles)(
  'when somebody of the group $group signs in at the company, then their role is $role',
  async ({ group, role, sees, lacks }) => {
    const { provider, platform } = company();
    const name = `${group}-anna`;
    provider.account = { sub: name, name, groups: [group] };
    const page = await blankPage();
    const allAnswered = watchRequests(page);
    await page.goto(`${platform.url}/console/deployments`);
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    const menu = page.getByRole('navigation', { name: 'Menu' });
    await menu.getByText(name).waitFor();
    await page.waitForURL(`${platform.url}/console/deployments`);
    await page.getByRole('heading', { name: 'Deployments', level: 1 }).waitFor();
    await allAnswered();
    const offered = async () => page.getByRole('link').or(page.getByRole('button')).allInnerTexts();
    const here = await offered();
    await menu.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').first().waitFor();
    await allAnswered();
    const all = [...here, ...(await offered())].map((text) => text.trim());
    expect([...sees, ...lacks].filter((text) => all.includes(text))).toEqual(sees);
    expect(await roleOf(name)).toMatchObject({ role, signs_in_at: provider.url });
  },
);
