{{/*
What the data plane may do in the namespace of agents, and nothing else: what its launcher of pods makes, watches and removes. No value
changes it but dataPlane.databases.cloudNativePg.enabled, which adds the rule below.
*/}}
{{- define "roadstead.agentRules" -}}
- apiGroups: [apps]
  resources: [deployments]
  verbs: [create, patch, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [create, patch, delete]
# Read alone by name: those that deployments name as image_pull_secrets. Whoever makes pods can mount any.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create, patch, delete]
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, create, patch, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, delete]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
- apiGroups: [""]
  resources: [events]
  verbs: [list]
{{- end }}

{{/* The same for database servers of deployments. Their Secrets, pods and volumes are the operator's. */}}
{{- define "roadstead.databaseRules" -}}
- apiGroups: [postgresql.cnpg.io]
  resources: [clusters]
  verbs: [list, create, patch, delete]
{{- end }}

{{/* The same in its own namespace, where commands of builds run. */}}
{{- define "roadstead.buildRules" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [list, create, patch, delete]
- apiGroups: [""]
  resources: [secrets]
  verbs: [create]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
- apiGroups: [""]
  resources: [events]
  verbs: [list]
{{- end }}
