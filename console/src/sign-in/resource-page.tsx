import type { Resource } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { Code } from '../design/code.tsx'
import { changedMembers, isEmpty } from '../design/differences.ts'
import { Page, Panel, Row } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { notify } from '../design/toasts.tsx'
import { useParams } from '../router/index.ts'
import { type Call, signet } from '../service/signet.ts'
import { useRefusal } from '../session/session.ts'
import { fieldNames, ResourceFields, type ResourceSettings, toBody } from './resource-fields.tsx'

const parent = { to: '/sign-in/resources', name: 'Resources' }

export function Component() {
  const { id = '' } = useParams()
  const resource = useQuery({
    queryKey: ['getResource', id],
    queryFn: ({ signal }) => signet.getResource({ path: { id }, signal }),
    select: ({ result }) => result,
  })
  if (resource.data) return <ResourcePage key={id} resource={resource.data} />
  return (
    <Page title="Resource" parent={parent}>
      <Panel>
        <Loaded query={resource}>{() => null}</Loaded>
      </Panel>
    </Page>
  )
}

const ResourcePage = ({ resource }: { resource: Resource }) => (
  <Page title={resource.name} parent={parent}>
    <Panel title="What applications send as “resource”">
      <Code label="Identifier" text={resource.identifier} wrap />
    </Panel>
    <Panel title="Settings" description="A change takes effect for the next access token.">
      <OpenedRecord record={resource}>
        {(opened, onSaved) => <EditForm resource={opened} onSaved={({ result }) => onSaved(saved(result))} />}
      </OpenedRecord>
    </Panel>
    <Panel title="Delete">
      <Row>
        <DeleteResource resource={resource} />
      </Row>
    </Panel>
  </Page>
)

function saved(resource: Resource) {
  notify('The resource is saved.')
  return resource
}

const settingsOf = ({ name, scopes, token_lifetime }: Resource): ResourceSettings => ({ name, scopes, token_lifetime })

type EditFormProps = { resource: Resource; onSaved: (reply: { result: Resource }) => unknown }

function EditForm({ resource, onSaved }: EditFormProps) {
  const [settings, setSettings] = useState(() => settingsOf(resource))
  const path = useMemo(() => ({ id: resource.id }), [resource])
  const changes = useMemo(() => changedMembers(settingsOf(resource), toBody(settings)), [resource, settings])
  const call: Call<{ result: Resource }> = useCallback(
    (signet) => signet.changeResource({ path, body: changes }),
    [path, changes],
  )
  const read: Call<object> = async (signet) => (await signet.getResource({ path })).result
  return (
    <Form
      fields={fieldNames}
      call={call}
      submit="Save"
      onSaved={onSaved}
      opened={{ record: resource, read }}
      scope="resources:write"
      disabled={isEmpty(changes)}
    >
      <ResourceFields
        settings={settings}
        onChange={(changed) => setSettings((before) => ({ ...before, ...changed }))}
      />
    </Form>
  )
}

function DeleteResource({ resource: { id } }: { resource: Resource }) {
  return (
    <AskingButton
      label="Delete resource"
      button={{ icon: 'trash' }}
      refusal={useRefusal('resources:write')}
      title="Delete this resource?"
      action="Delete resource"
      typed="delete"
      call={(signet) => signet.deleteResource({ path: { id } })}
      done="The resource is deleted."
      next="/sign-in/resources"
    >
      <p>
        No application gets an access token for it any more. An API that checks tokens by itself accepts those that were
        made until they expire; introspection calls them inactive.
      </p>
    </AskingButton>
  )
}
