import { documentOf, html } from '@roadstead/pages';

export interface SignInLinkPage {
  /** Where the form is posted. */
  readonly action: string;
  readonly form_token: string;
  /** Whom the address signs in, and where. */
  readonly name: string;
  readonly workspace_name: string;
  /** Who is signed in in this browser. */
  readonly signed_in_as: string | undefined;
}

/** Asks before it signs anybody in: whoever sent the address may want to be taken for the person who opens it. */
export const signInLinkPage = (page: SignInLinkPage): string =>
  documentOf({
    title: 'Sign in',
    body: html`
      <h1>Sign in as ${page.name}?</h1>
      <p>
        This address signs this browser in as <strong>${page.name}</strong> in the workspace
        <strong>${page.workspace_name}</strong>. Go on only if you asked for it yourself.
      </p>
      ${
        page.signed_in_as !== undefined &&
        html`<p>You are signed in as <strong>${page.signed_in_as}</strong> now, which ends.</p>`
      }
      <form method="post" action="${page.action}">
        <input type="hidden" name="form_token" value="${page.form_token}" />
        <div class="actions"><button name="do" value="sign-in">Sign in</button></div>
      </form>
    `,
  });
