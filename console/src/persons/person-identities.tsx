import type { Identity } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Copyable } from '../design/copy.tsx'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft, Text } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { providerName } from '../providers/providers.ts'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { AddIdentity } from './add-identity.tsx'
import { RemoveIdentityDialog } from './remove-identity-dialog.tsx'

type PersonIdentitiesProps = { personId: string; guard: string | undefined }

/** The accounts at providers with which a person signs in. */
export function PersonIdentities({ personId, guard }: PersonIdentitiesProps) {
  const mayWrite = useMay('persons:write') && !guard
  const [removing, setRemoving] = useState<Identity>()
  const identities = useQuery({
    queryKey: ['listPersonIdentities', personId],
    queryFn: ({ signal }) => signet.listPersonIdentities({ path: { person_id: personId }, signal }),
  })
  const remove: Column<Identity> = {
    head: 'Remove',
    cell: (identity) => (
      <Button size="small" icon="trash" onClick={() => setRemoving(identity)}>
        Remove
      </Button>
    ),
  }
  return (
    <Panel
      title="Identities"
      description="Accounts at providers that sign in as this person."
      actions={<AddIdentity personId={personId} />}
      flush
    >
      <Loaded query={identities} lines={2}>
        {({ result }) => (
          <Table
            caption="Identities"
            columns={mayWrite ? [...columns, remove] : columns}
            items={result}
            keyOf={({ id }) => id}
            empty={<NoIdentities />}
          />
        )}
      </Loaded>
      {removing && (
        <RemoveIdentityDialog personId={personId} identity={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Panel>
  )
}

const columns: Column<Identity>[] = [
  {
    head: 'Provider',
    cell: ({ provider, issuer }) => (
      <>
        {providerName(provider)}{' '}
        <Soft>
          <ShortText>{issuer}</ShortText>
        </Soft>
      </>
    ),
  },
  { head: 'Subject', cell: ({ subject }) => <Copyable text={subject} of="subject" /> },
  { head: 'Address sent last', cell: ({ email }) => (email ? <Text>{email}</Text> : <Soft>none</Soft>) },
  { head: 'Since', cell: ({ created_at }) => <Ago at={created_at} />, minor: true },
]

const NoIdentities = () => (
  <Empty title="No identities.">Nobody has signed in as this person with an account at a provider.</Empty>
)
