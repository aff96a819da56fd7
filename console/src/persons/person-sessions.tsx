import type { PersonSession } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { AskingButton } from '../calls/asking-button.tsx'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Browser } from '../design/browser.tsx'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Soft, Text } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { useIsSupport, useMay } from '../session/session.ts'

type PersonSessionsProps = { personId: string; guard: string | undefined }

/** The browsers in which a person is signed in: those that were used last, as many as one page of the interface has. */
export function PersonSessions({ personId, guard }: PersonSessionsProps) {
  const isSupport = useIsSupport()
  const mayWrite = (useMay('persons:write') || isSupport) && !guard
  const sessions = useQuery({
    queryKey: ['listPersonSessions', personId],
    queryFn: ({ signal }) => signet.listPersonSessions({ path: { person_id: personId }, signal }),
  })
  const end: Column<PersonSession> = {
    head: 'End',
    cell: ({ id }) => <EndSession personId={personId} sessionId={id} />,
  }
  return (
    <Panel
      title="Sessions"
      description="Browsers in which the person is signed in."
      actions={
        <>
          <ExportCsv name="sessions" path={`/persons/${personId}/sessions`} />
          {mayWrite && <EndAllSessions personId={personId} />}
        </>
      }
      flush
    >
      <Loaded query={sessions} lines={2}>
        {({ result }) => (
          <Table
            caption="Sessions"
            columns={mayWrite ? [...columns, end] : columns}
            items={result}
            keyOf={({ id }) => id}
            empty={<NoSessions />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columns: Column<PersonSession>[] = [
  { head: 'Browser', cell: ({ user_agent }) => <Browser userAgent={user_agent} /> },
  {
    head: 'Address',
    whole: true,
    cell: ({ client_ip_address }) => (client_ip_address ? <Text>{client_ip_address}</Text> : <Soft>not known</Soft>),
  },
  { head: 'Applications', cell: ({ applications }) => applications.length, minor: true },
  { head: 'Last used', cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  { head: 'Signed in', cell: ({ created_at }) => <Ago at={created_at} />, minor: true },
]

const NoSessions = () => <Empty title="No sessions.">The person is signed in nowhere.</Empty>

const told = 'Applications with a logout URI are told. ID tokens that were issued stay valid until they expire.'

const EndSession = ({ personId, sessionId }: { personId: string; sessionId: string }) => (
  <AskingButton
    label="End"
    button={{ size: 'small' }}
    title="End this session?"
    action="End session"
    tone="danger"
    call={(client) => client.endPersonSession({ path: { person_id: personId, session_id: sessionId } })}
    done="The session has ended."
  >
    <p>The browser is signed out at once, with the refresh tokens that were issued in this session. {told}</p>
  </AskingButton>
)

/** Also refresh tokens whose session is over, which no list shows. */
const EndAllSessions = ({ personId }: { personId: string }) => (
  <AskingButton
    label="End all"
    button={{ size: 'small' }}
    title="End all sessions?"
    action="End all sessions"
    tone="danger"
    call={(client) => client.endPersonSessions({ path: { person_id: personId } })}
    done="All sessions have ended."
  >
    <p>The person is signed out of everything, with all refresh tokens, and may sign in again. {told}</p>
  </AskingButton>
)
