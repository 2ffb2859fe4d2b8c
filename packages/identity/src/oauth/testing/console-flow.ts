import { CONSOLE_CALLBACK, CONSOLE_CLIENT } from '@roadstead/contracts/identity';
import { askForTokens, authorization, type Credential, Person } from '@roadstead/testing/oauth';

/** What the console does in a browser. */

/** Where the browser ends up when the console asks for a code, and the rest of what the console needs for its token. */
export async function askAsConsole(
  url: string,
  { person, ...more }: { readonly person: Person } & { readonly [parameter: string]: string | Person },
) {
  const redirect_uri = url + CONSOLE_CALLBACK;
  const asked = authorization(url, {
    client_id: CONSOLE_CLIENT,
    redirect_uri,
    ...(more as Record<string, string>),
  });
  await person.open(asked.address);
  return { ...asked, redirect_uri };
}

type AskedCode = Awaited<ReturnType<typeof askAsConsole>>;

/** The parameters with which the callback of the console was called last. */
export const calledWith = ({ page }: Person): Record<string, string> => {
  const { pathname, searchParams } = new URL(page.url);
  return pathname === CONSOLE_CALLBACK ? Object.fromEntries(searchParams) : {};
};

/** Exchanges the code that the callback of the console was called with. */
export const exchange = (
  url: string,
  { person, asked }: { readonly person: Person; readonly asked: AskedCode },
) =>
  askForTokens(url, {
    grant_type: 'authorization_code',
    client_id: CONSOLE_CLIENT,
    redirect_uri: asked.redirect_uri,
    code: calledWith(person)['code'] ?? '',
    code_verifier: asked.verifier,
  });

/** Signs in at the console in a browser of its own. */
export async function enterConsole(url: string, credential: Credential) {
  const person = new Person();
  const asked = await askAsConsole(url, { person });
  await person.signIn(credential);
  return { person, ...(await exchange(url, { person, asked })).body };
}

/** A token of the console, in a browser where somebody is signed in already. */
export async function reloadConsole(url: string, person: Person) {
  const asked = await askAsConsole(url, { person, prompt: 'none' });
  return (await exchange(url, { person, asked })).body;
}
