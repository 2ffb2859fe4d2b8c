import { useState } from 'react';
import { people } from '../../../api/clients.ts';
import { Empty } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useShortcuts } from '../../../ui/keys.ts';
import { Menu } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/page.tsx';
import { Ago } from '../../../ui/time.tsx';
import { peopleSets, scopesInWords } from '../../../words/scope-rules.ts';
import { cursorList } from '../endless-list.ts';
import { EndlessTable } from '../endless-table.tsx';
import { SecretDialog } from '../../../ui/secret-dialog.tsx';
import { attempt, useChange } from '../use-change.ts';
import { PersonForm, type User } from './person-form.tsx';
import { HowToFill } from '../../../ui/how-to-fill.tsx';
import { fillingLines } from '../../../words/filling-lines.ts';

type Overlay =
  | { readonly kind: 'new' }
  | { readonly kind: 'change' | 'remove'; readonly user: User }
  | { readonly kind: 'link'; readonly url: string };

const usersQuery = cursorList(['users', 'list'], people.listUsers);

/** Who signs in by name and password. */
export function PeoplePage() {
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  const add = () => setOverlay({ kind: 'new' });
  useShortcuts([{ key: 'n', does: 'Add a person', needs: 'keys:admin', run: add }]);
  const makeLink = () =>
    attempt(async () => setOverlay({ kind: 'link', url: (await people.createSignInLink({})).url }));
  return (
    <Page
      title="People"
      filled
      actions={
        <>
          <Button onClick={makeLink} title="An address that signs another browser in as you">
            <Icon name="link" /> Sign-in link
          </Button>
          <Button look="main" needs="keys:admin" onClick={add}>
            <Icon name="plus" /> Add a person
          </Button>
        </>
      }
    >
      <EndlessTable
        label="People"
        of={usersQuery}
        columns={columns(setOverlay)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="Nobody signs in by a password yet">
            <p>
              Until somebody does, whoever has an API key signs in by that. People get their name, their
              password and the address <code>{`${location.origin}/console`}</code>.
            </p>
            <HowToFill
              needs="keys:admin"
              button="Add a person"
              label="Let somebody in"
              line={fillingLines.person(location.origin)}
            />
          </Empty>
        }
      />
      {overlay?.kind === 'new' && <PersonForm user={undefined} onClose={close} />}
      {overlay?.kind === 'change' && <PersonForm user={overlay.user} onClose={close} />}
      {overlay?.kind === 'remove' && <RemovePerson user={overlay.user} onClose={close} />}
      {overlay?.kind === 'link' && (
        <SecretDialog title="Sign in elsewhere" label="Address" secret={overlay.url} onClose={close}>
          <p className="text-quiet">
            Whoever opens this address is signed in as you. It is good once, and for five minutes.
          </p>
        </SecretDialog>
      )}
    </Page>
  );
}

const columns = (show: (overlay: Overlay) => void): readonly Column<User>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1fr)',
    cell: ({ name }) => name,
    sort: ({ name }) => name,
  },
  {
    id: 'scopes',
    header: 'What they may do',
    width: 'minmax(12rem, 2fr)',
    cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopesInWords(scopes, peopleSets)}</span>,
  },
  {
    id: 'signed-in',
    header: 'Last signed in',
    width: '8rem',
    cell: ({ last_sign_in_at }) => <Ago at={last_sign_in_at} />,
    sort: ({ last_sign_in_at }) => last_sign_in_at ?? '',
  },
  {
    id: 'password',
    header: 'Password set',
    width: '8rem',
    cell: ({ password_changed_at }) => <Ago at={password_changed_at} />,
  },
  {
    id: 'expires',
    header: 'Ends',
    width: '7rem',
    cell: ({ expires_at }) => <Ago at={expires_at} />,
  },
  {
    id: 'actions',
    header: '',
    width: '3rem',
    cell: (user) => (
      <Menu
        label={`Actions of ${user.name}`}
        items={[
          { label: 'Change', needs: 'keys:admin', onSelect: () => show({ kind: 'change', user }) },
          {
            label: 'Remove',
            needs: 'keys:admin',
            danger: true,
            onSelect: () => show({ kind: 'remove', user }),
          },
        ]}
      />
    ),
  },
];

interface RemovePersonProps {
  readonly user: User;
  readonly onClose: () => void;
}

function RemovePerson({ user: { id, name }, onClose }: RemovePersonProps) {
  const change = useChange();
  return (
    <FormDialog
      title={`Remove ${name}?`}
      isOpen
      danger
      submit="Remove"
      onClose={onClose}
      onSubmit={async () => {
        await people.deleteUser({ params: { user_id: id } });
        await change({ said: `${name} is removed.`, changes: [['users'], ['grants']] });
      }}
    >
      <p>
        {name} is signed out everywhere within 30 seconds, and so are the applications that {name} authorized.
        What they made stays.
      </p>
    </FormDialog>
  );
}
