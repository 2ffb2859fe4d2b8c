import { documentOf, fault, type Html, html } from '@roadstead/pages';

export interface SignInPage {
  /** Where the forms are posted. */
  readonly action: string;
  readonly form_token: string;
  /** What the company’s sign-in is called, where there is one. */
  readonly company_name: string | undefined;
  /** The application that asks to be authorized; undefined where the person comes to see the authorized ones. */
  readonly client_name: string | undefined;
  readonly fault?: string | undefined;
  /** The name that was typed before. */
  readonly name?: string | undefined;
}

export function signInPage(page: SignInPage): string {
  const described = page.fault !== undefined && html` aria-describedby="fault"`;
  const token = html`<input type="hidden" name="form_token" value="${page.form_token}" />`;
  return documentOf({
    title: 'Sign in',
    body: html`
      <h1>Sign in</h1>
      ${
        page.client_name !== undefined &&
        html`<p>
          <strong>${page.client_name}</strong> asks you to authorize it. Next you choose what it may do.
        </p>`
      }
      ${fault(page.fault)} ${companyButton(page)}
      <form method="post" action="${page.action}">
        ${token}
        <label for="name">Name</label>
        <input
          id="name"
          name="name"
          type="text"
          autofocus
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          maxlength="100"
          required${described}
          value="${page.name}"
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength="256"
          required${described}
        />
        <div class="actions"><button name="do" value="sign-in">Sign in</button></div>
      </form>
      <hr />
      <form method="post" action="${page.action}">
        ${token}
        <label for="key">API key, if you have no name here</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="off"
          spellcheck="false"
          maxlength="200"
          required
          aria-describedby="key-hint"
        />
        <p class="quiet" id="key-hint">
          The application never sees the key. Where Roadstead runs on your own machine, the first key is in
          the file
          <code>api-key</code> of its data folder.
        </p>
        <div class="actions">
          <button class="second" name="do" value="sign-in">Sign in with the key</button>
        </div>
      </form>
    `,
  });
}

function companyButton({ company_name, action }: SignInPage): Html | undefined {
  if (company_name === undefined) return undefined;
  return html`<p class="actions">
      <a class="button" href="/oauth/company?return_to=${encodeURIComponent(action)}"
        >Sign in with ${company_name}</a
      >
    </p>
    <hr />`;
}
