import { TextArea } from '../design/field.tsx'

type DescriptionFieldProps = { value: string; onChange: (value: string) => void }

export const DescriptionField = ({ value, onChange }: DescriptionFieldProps) => (
  <TextArea
    name="description"
    label="Description"
    value={value}
    onChange={onChange}
    hint="For people: at most 1,000 characters. Applications do not get it."
  />
)
