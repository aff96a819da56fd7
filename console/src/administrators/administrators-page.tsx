import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../design/button.tsx'
import { Page, Panel } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { settingsQuery } from '../session/console-access.ts'
import { useIsAdmin } from '../session/session.ts'
import { SettingsTabs } from '../settings/settings-tabs.tsx'
import { AccessPanel } from './access-panel.tsx'
import { AdministratorList } from './administrator-list.tsx'
import { KeySignIn } from './key-sign-in.tsx'
import { onlyAdmins } from './only-admins.ts'
import { OpenInvitations } from './open-invitations.tsx'

export function Component() {
  const isAdmin = useIsAdmin()
  const query = useQuery(settingsQuery)
  return (
    <Page
      title="Administrators"
      lead="Persons of this organization who enter this console with their own sign-in. What one may do there follows from their groups."
      actions={isAdmin && invite}
    >
      <SettingsTabs />
      <Loaded query={query} lines={10}>
        {({ result }) => (
          <>
            <AccessPanel access={result.console_access} />
            <AdministratorList access={result.console_access} />
            {isAdmin ? (
              <OpenInvitations access={result.console_access} />
            ) : (
              <Panel title="Open invitations" description={onlyAdmins('see invitations')} />
            )}
            <KeySignIn settings={result} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const invite = (
  <ButtonLink to="/settings/administrators/invite" tone="primary" icon="plus">
    Invite
  </ButtonLink>
)
