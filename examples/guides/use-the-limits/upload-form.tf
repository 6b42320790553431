module "upload_form" {
  source = "./modules/upload-form"
  limits = data.filetransfer_instance.files
}

output "upload_form" {
  value = module.upload_form.json
}
