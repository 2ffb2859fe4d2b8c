import type { DeviceCodeFault, OAuthPages } from './oauth-ports.ts';
import { clientNameOf } from './client-rules.ts';
import { errorPage } from './error-page.ts';
import { documentOf, fault, html } from '@roadstead/pages';

const faults: Readonly<Record<DeviceCodeFault, string>> = {
  missing: 'Enter the code that the device shows.',
  unknown: 'No device waits with this code. Compare it with what the device shows.',
  expired: 'This code has expired. Begin again on the device.',
  used: 'This code was used already. Begin again on the device.',
  denied: 'The device got no access.',
  failed: 'This did not work. Begin again on the device.',
};

/** The pages whose requests the authorization server answers. */
export const oauthPages: OAuthPages = {
  deviceCode: (page) =>
    documentOf({
      title: 'Connect a device',
      body: html`
        <h1>Connect a device</h1>
        <p>
          A program without a browser shows you a code. Enter it here, if you started that program yourself.
        </p>
        ${fault(page.fault === undefined ? undefined : faults[page.fault])}
        <form method="post" action="${page.action}">
          <input type="hidden" name="xsrf" value="${page.xsrf}" />
          <label for="user_code">Code</label>
          <input
            class="code"
            id="user_code"
            name="user_code"
            type="text"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            maxlength="20"
            required${page.fault !== undefined && html` aria-describedby="fault"`}
          />
          <div class="actions"><button>Continue</button></div>
        </form>
      `,
    }),
  deviceConfirm: (page) =>
    documentOf({
      title: 'Connect a device',
      body: html`
        <h1>Is this your device?</h1>
        <dl>
          <dt>Program</dt>
          <dd>${clientNameOf({ name: page.client_name })}</dd>
          <dt>Code</dt>
          <dd><code>${page.user_code}</code></dd>
        </dl>
        <p>
          Go on only if the device in front of you shows this very code. Whoever sent you a code or a link to
          this page would get the access instead of you.
        </p>
        <form method="post" action="${page.action}">
          <input type="hidden" name="xsrf" value="${page.xsrf}" />
          <input type="hidden" name="user_code" value="${page.user_code}" />
          <div class="actions">
            <button name="confirm" value="yes">It shows this code</button>
            <button class="second" name="abort" value="yes">Cancel</button>
          </div>
        </form>
      `,
    }),
  deviceDone: ({ client_name }) =>
    documentOf({
      title: 'Connected',
      body: html`
        <h1>Done</h1>
        <p>
          <strong>${clientNameOf({ name: client_name })}</strong> is authorized now. You can close this page
          and return to it.
        </p>
        <p class="quiet">
          You can take this back on the page of <a href="/oauth/applications">authorized applications</a>.
        </p>
      `,
    }),
  failure: ({ error, description }) => errorPage({ code: error, what: description }),
};
