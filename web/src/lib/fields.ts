import type { Asked } from './api.svelte'

type Field =
  | { name: Asked<'/activity/filter-options/{field}'>['field']; label: string; kind: 'values' }
  | { name: keyof Asked<'/activity'>; label: string; kind: 'time' | 'text' | 'yesno' }

/** The filters of the log, in the order in which they are offered. */
export const fields: Field[] = [
  { name: 'type', label: 'Type', kind: 'values' },
  { name: 'server', label: 'Server', kind: 'values' },
  { name: 'tool', label: 'Tool', kind: 'values' },
  { name: 'status', label: 'Status', kind: 'values' },
  { name: 'decision', label: 'Decision', kind: 'values' },
  { name: 'rule', label: 'Rule', kind: 'values' },
  { name: 'risk_level', label: 'Risk, at least', kind: 'values' },
  { name: 'flow_type', label: 'Flow', kind: 'values' },
  { name: 'detection_type', label: 'Detected', kind: 'values' },
  { name: 'severity', label: 'Severity, at least', kind: 'values' },
  { name: 'sensitive_data', label: 'Sensitive data', kind: 'yesno' },
  { name: 'principal', label: 'Who', kind: 'values' },
  { name: 'session_id', label: 'Session', kind: 'values' },
  { name: 'start_time', label: 'From', kind: 'time' },
  { name: 'end_time', label: 'Until', kind: 'time' },
  { name: 'request_id', label: 'Request', kind: 'text' },
  { name: 'parent_id', label: 'Parent', kind: 'text' },
]

export const label = (name: string) => fields.find((f) => f.name === name)?.label ?? name
