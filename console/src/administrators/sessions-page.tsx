import type { ConsoleSession } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { AskingButton } from '../calls/asking-button.tsx'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Badge } from '../design/badge.tsx'
import { Browser } from '../design/browser.tsx'
import { List } from '../design/list.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Notice } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft, Text } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'
import { SettingsTabs } from '../settings/settings-tabs.tsx'
import { onlyAdmins } from './only-admins.ts'

export const Component = () => (
  <Page
    title="Sessions"
    lead="The browsers that are signed in to this console for this organization, with a person or an API key."
  >
    <SettingsTabs />
    {useIsAdmin() ? <Sessions /> : <Notice>{onlyAdmins('see the sessions of the console, and end them')}</Notice>}
  </Page>
)

function Sessions() {
  const page = useOffsetPage()
  const query = useQuery({
    queryKey: ['listConsoleSessions', page],
    queryFn: ({ signal }) => signet.listConsoleSessions({ query: page, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Panel flush>
      <List
        query={query}
        actions={<ExportCsv name="console-sessions" path="/organizations/console-sessions" />}
        caption="Sessions of the console"
        columns={columns}
        keyOf={({ id }) => id}
      />
    </Panel>
  )
}

const columns: Column<ConsoleSession>[] = [
  { head: 'Who', cell: (session) => <Who session={session} /> },
  { head: 'Browser', cell: ({ user_agent }) => <Browser userAgent={user_agent} /> },
  {
    head: 'Address',
    whole: true,
    cell: ({ client_ip_address }) => (client_ip_address ? <Text>{client_ip_address}</Text> : <Soft>not known</Soft>),
  },
  { head: 'Last used', cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  { head: 'Signed in', cell: ({ created_at }) => <Ago at={created_at} />, minor: true },
  { head: 'End', cell: (session) => <EndSession session={session} />, align: 'end' },
]

function Who({ session: { by, is_current } }: { session: ConsoleSession }) {
  return (
    <>
      {by.type === 'person' ? (
        <Link to={`/persons/${by.id}`}>
          <ShortText>{by.name ?? by.id}</ShortText>
        </Link>
      ) : (
        <>
          <ShortText>{by.name ?? `Key ${by.id}`}</ShortText> <Badge>API key</Badge>
        </>
      )}{' '}
      {is_current && <Badge tone="accent">this one</Badge>}
    </>
  )
}

const EndSession = ({ session: { id, by, is_current } }: { session: ConsoleSession }) => (
  <AskingButton
    label="End"
    button={{ size: 'small', 'aria-label': `End the session of ${by.name ?? by.id}` }}
    title="End this session?"
    action="End session"
    call={(client) => client.endConsoleSession({ path: { id } })}
    done="The session has ended."
  >
    <p>
      The browser of <ShortText>{by.name ?? by.id}</ShortText> is signed out of this console with its next request.{' '}
      {by.type === 'person'
        ? 'Applications stay signed in, and the person may sign in again: to keep them out, take them out of the groups that may enter.'
        : 'The key stays valid and may sign in again: to keep it out, revoke it.'}
    </p>
    {is_current && <p>This is your own session: you will be signed out.</p>}
  </AskingButton>
)
