import { useQuery } from '@tanstack/react-query'
import { ChangesLink } from '../calls/changes-link.tsx'
import { Copyable } from '../design/copy.tsx'
import { Page, Panel, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded } from '../design/state.tsx'
import { Time } from '../design/time.tsx'
import { serviceUrl } from '../service/address.ts'
import { settingsQuery } from '../session/console-access.ts'
import { isAdmin, nameOf, useSession } from '../session/session.ts'
import { LogoForm } from './logo-form.tsx'
import { LookForm } from './look-form.tsx'
import { SettingsForm } from './settings-form.tsx'
import { SettingsTabs } from './settings-tabs.tsx'
import { UsagePanel } from './usage-panel.tsx'

export function Component() {
  const session = useSession()
  const query = useQuery(settingsQuery)
  return (
    <Page title="Settings" actions={<ChangesLink target={session.organization_id ?? ''} />}>
      <SettingsTabs />
      <Panel
        title="Who may sign in"
        description="For persons who sign in for the first time, through any of the credentials."
      >
        <Loaded query={query}>{({ result }) => <SettingsForm settings={result} />}</Loaded>
      </Panel>
      <Panel
        title="Pages of a sign-in"
        description="What persons see while they sign in and out: in the language of their browser, with your name, colour and logo."
      >
        <Loaded query={query}>
          {({ result }) => (
            <Stack>
              <LookForm settings={result} />
              <LogoForm settings={result} />
            </Stack>
          )}
        </Loaded>
      </Panel>
      <UsagePanel />
      <Panel title="This organization">
        <Properties
          items={[
            ['Name', session.name],
            ['Organization ID', <Copyable key="id" text={session.organization_id ?? ''} of="organization ID" />],
            ['Service', <Copyable key="service" text={serviceUrl} of="address of the service" />],
          ]}
        />
      </Panel>
      <Panel title="Your session">
        <Properties
          items={[
            [session.by.type === 'person' ? 'Person' : 'Key', nameOf(session)],
            [
              'Scopes',
              isAdmin(session)
                ? session.by.type === 'person'
                  ? 'all: an owner'
                  : 'all: an admin key'
                : session.scopes.join(', '),
            ],
            ['Ends without use', <Time key="idle" at={session.expires_at} />],
          ]}
        />
      </Panel>
    </Page>
  )
}
