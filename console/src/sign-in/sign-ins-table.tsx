import type { SignIn } from '@signet/management'
import type { ReactNode } from 'react'
import { Browser } from '../design/browser.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Outcome, Why } from '../outcomes/outcome.tsx'
import { sayFailure } from '../outcomes/outcome-words.ts'
import { ProviderName } from '../providers/provider-mark.tsx'
import { asProvider } from '../providers/providers.ts'
import { Link } from '../router/index.ts'
import { applicationPath, credentialPath } from './paths.ts'
import styles from './sign-ins-table.module.css'
import { useApplicationNames } from './use-application-names.ts'

type SignInsTableProps = {
  signIns: readonly SignIn[]
  empty: ReactNode
  /** All are of one person, whose page it is. */
  isOfOne?: boolean
}

/** Sign-ins in the order in which they are given; each row leads to its event, and to the person. */
export const SignInsTable = ({ signIns, empty, isOfOne = false }: SignInsTableProps) => (
  <Table
    caption="Sign-ins"
    columns={isOfOne ? columns.filter(({ head }) => head !== 'Person') : columns}
    items={signIns}
    keyOf={({ event_id }) => event_id}
    linkOf={({ event_id }) => `/events/${event_id}`}
    empty={empty}
  />
)

const columns: Column<SignIn>[] = [
  { head: 'Outcome', cell: (signIn) => <HowItEnded {...signIn} /> },
  {
    head: 'Person',
    cell: (signIn) => (
      <div className={styles.who}>
        <Who {...signIn} />
      </div>
    ),
  },
  { head: 'Provider', cell: (signIn) => <Provider {...signIn} /> },
  { head: 'Application', cell: ({ client_id }) => <Application id={client_id} /> },
  { head: 'Address and browser', cell: (signIn) => <From {...signIn} /> },
  { head: 'Time', cell: ({ at }) => <Ago at={at} /> },
]

const HowItEnded = ({ status, failure_reason }: SignIn) => (
  <span className={styles.outcome}>
    <Outcome of={status} />
    {failure_reason && <Why code={failure_reason} words={sayFailure(failure_reason)} />}
  </span>
)

/** Of a sign-in that failed often nobody is known; a handle goes with its person. */
function Who({ person_id, handle }: SignIn) {
  const name = handle?.value ?? person_id
  if (!name) return <Soft>not known</Soft>
  if (!person_id)
    return (
      <>
        <ShortText>{name}</ShortText> <Soft>not recognised</Soft>
      </>
    )
  return (
    <Link to={`/persons/${encodeURIComponent(person_id)}`}>
      <ShortText>{name}</ShortText>
    </Link>
  )
}

function Provider({ provider, oauth_client_id }: SignIn) {
  const known = asProvider(provider)
  const name = known ? <ProviderName provider={known} /> : provider
  if (!oauth_client_id) return name ?? <Soft>not known</Soft>
  return <Link to={credentialPath(oauth_client_id)}>{name ?? <ShortText>{oauth_client_id}</ShortText>}</Link>
}

/** The client of the console is no application. */
const consoleClient = 'signet-console'

function Application({ id }: { id: string | undefined }) {
  const name = useApplicationNames().get(id ?? '')
  if (!id) return <Soft>not known</Soft>
  if (id === consoleClient) return 'The console'
  return (
    <Link to={applicationPath(id)}>
      <ShortText>{name ?? id}</ShortText>
    </Link>
  )
}

const From = ({ client_ip_address, user_agent }: SignIn) => (
  <span className={styles.from}>
    {client_ip_address ? (
      <span className={styles.address}>
        <ShortText>{client_ip_address}</ShortText>
      </span>
    ) : (
      <Soft>not known</Soft>
    )}
    {user_agent && (
      <Soft>
        <Browser userAgent={user_agent} />
      </Soft>
    )}
  </span>
)
