// Tests name models, serial numbers and what a host did without a second import.
@_exported public import BoardModels
