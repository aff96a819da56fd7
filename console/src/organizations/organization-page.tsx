import type { OrganizationWithUsage } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { Copyable } from '../design/copy.tsx'
import { changedMembers, isEmpty } from '../design/differences.ts'
import { TextField } from '../design/field.tsx'
import { Page, Panel } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { notify } from '../design/toasts.tsx'
import { useParams } from '../router/index.ts'
import { type Call, signet } from '../service/signet.ts'
import { UsageList } from '../settings/usage-list.tsx'
import { KeyForLockedOut } from './key-for-locked-out.tsx'

const parent = { to: '/organizations', name: 'Organizations' }

export function Component() {
  const { id = '' } = useParams()
  return <OrganizationPage key={id} id={id} />
}

function OrganizationPage({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['getOrganization', id],
    queryFn: ({ signal }) => signet.getOrganization({ path: { id }, signal }),
  })
  const name = query.data?.result.name ?? 'Organization'
  return (
    <Page title={name} heading={<ShortText>{name}</ShortText>} parent={parent}>
      <Loaded query={query}>{({ result }) => <OrganizationParts organization={result} />}</Loaded>
    </Page>
  )
}

function OrganizationParts({ organization }: { organization: OrganizationWithUsage }) {
  const { id, created_at, pricing_tier, usage } = organization
  return (
    <>
      <Panel title="About">
        <Properties
          items={[
            ['Organization ID', <Copyable key="id" text={id} of="organization ID" />],
            ['Created', <Time key="created" at={created_at} />],
          ]}
        />
      </Panel>
      <Panel title="Usage">
        <UsageList tier={pricing_tier} usage={usage} />
      </Panel>
      <Panel title="Name and tier">
        <OpenedRecord record={draftOf(organization)}>
          {(opened, onSaved) => <OrganizationForm id={id} opened={opened} onSaved={onSaved} />}
        </OpenedRecord>
      </Panel>
      <KeyForLockedOut organizationId={id} />
      <DeletePanel organization={organization} />
    </>
  )
}

type Draft = { name: string; pricing_tier: string }
const draftOf = ({ name, pricing_tier }: Draft): Draft => ({ name, pricing_tier })

type OrganizationFormProps = { id: string; opened: Draft; onSaved: (saved: Draft) => void }

function OrganizationForm({ id, opened, onSaved }: OrganizationFormProps) {
  const [draft, setDraft] = useState(opened)
  const changes = useMemo(() => changedMembers(opened, draft), [opened, draft])
  const call = useCallback<Call<{ result: Draft }>>(
    (client) => client.changeOrganization({ path: { id }, body: changes }),
    [id, changes],
  )
  const read: Call<Draft> = async (client) => draftOf((await client.getOrganization({ path: { id } })).result)
  const saved = ({ result }: { result: Draft }) => {
    notify('The organization is saved.')
    onSaved(draftOf(result))
  }
  return (
    <Form
      fields={['name', 'pricing_tier']}
      call={call}
      onSaved={saved}
      submit="Save"
      opened={{ record: opened, read }}
      disabled={isEmpty(changes)}
    >
      <TextField
        name="name"
        label="Name"
        value={draft.name}
        maxLength={200}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <TextField
        name="pricing_tier"
        label="Pricing tier"
        value={draft.pricing_tier}
        onChange={(tier) => setDraft({ ...draft, pricing_tier: tier })}
        hint="What is above a lower limit stays; nothing more can be created."
      />
    </Form>
  )
}

function DeletePanel({ organization: { id, name } }: { organization: OrganizationWithUsage }) {
  return (
    <Panel
      title="Delete"
      description="With everything that belongs to it. Nothing brings it back but a backup."
      actions={
        <AskingButton
          label="Delete organization"
          button={{ tone: 'danger', icon: 'trash' }}
          title="Delete this organization?"
          action="Delete organization"
          typed={name}
          call={(client) => client.deleteOrganization({ path: { id } })}
          done="The organization is deleted."
          next="/organizations"
        >
          <p>
            From now on every call with its keys is refused, its persons are signed out, and its deliveries are
            cancelled.
          </p>
          <p>
            Its key set is served for ten minutes more, for webhooks under way. Then its persons, groups, webhooks,
            events and its audit log are removed.
          </p>
        </AskingButton>
      }
    />
  )
}
